"""Who notices what: `make mutants MODULE=relative/alibi` plants errors in a module, one at a time.

The tests that look at the module run with each, and the tables in `tests/mutants/` keep which of them fail, a row for
each error: a test may go if no row that was not empty becomes empty, which CHECK=1 asks. Without MODULE, all modules.
EACH=4 is how many errors a module gets, the same ones for as long as their own text stays; EACH=all keeps no table.
"""
