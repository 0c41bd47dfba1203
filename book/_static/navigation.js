// On a phone the list of pages opens at the present one; elsewhere the theme sees to that.
document.querySelectorAll(".primary-toggle").forEach((button) =>
  button.addEventListener("click", () =>
    setTimeout(() => {
      const here = document.querySelector("#pst-primary-sidebar-modal .toctree-l1.current");
      here?.scrollIntoView({ block: "center" });
    })
  )
);
