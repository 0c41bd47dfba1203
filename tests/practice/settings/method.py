"""How spell is called, for the tests that make its arguments bad."""

from tests.practice.settings.cases import CASES

NO_METHOD = {"spell": "writes settings for other programs"}
ARGUMENTS = {
    "spell": lambda: [
        {"config": CASES["linear"][0], "program": "vllm", "n": 20, "d": None, "handled": {"x"}},
        {"config": CASES["yarn"][0], "program": "llama.cpp", "n": 20, "d": None, "handled": set()},
    ]
}
