// Typesets formulas: {"tex": …, "display": …} a line comes in, its HTML, its MathML and what is wrong with it go out.
//   node formulas.cjs FOLDER-OF-MATHJAX
// The line "css" asks for the style sheet. It has all letters, and not only those met so far: a formula that an earlier
// build has typeset is not met again.
const [folder] = process.argv.slice(2);
const lines = require("readline").createInterface({ input: process.stdin });

require(`${folder}/node-main.js`)
  .init({
    loader: { paths: { mathjax: folder }, load: ["input/tex-full", "output/chtml"] },
    chtml: { fontURL: "mathjax", adaptiveCSS: false },
  })
  .then((MathJax) => {
    const { adaptor } = MathJax.startup;
    const put = (answer) => console.log(JSON.stringify(answer));
    lines.on("line", (line) => {
      const { tex, display } = JSON.parse(line);
      if (tex === undefined) return put(adaptor.textContent(MathJax.chtmlStylesheet()));
      const mathml = MathJax.tex2mml(tex, { display });
      // An unknown command is set in red, and a formula that cannot be read becomes an error.
      const fault = /<merror[^>]*data-mjx-error="([^"]*)"|mathcolor="red">([^<]*)/.exec(mathml);
      const html = adaptor.innerHTML(MathJax.tex2chtml(tex, { display }));
      put({ html, mathml, fault: fault ? fault[1] ?? fault[2] : "" });
    });
  });
