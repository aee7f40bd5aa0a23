// Light or dark as Airflow's own pages are; where they do not say, as the system is. And whether
// this is a frame in one of them.
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => {
    try {
      const outer = window.parent.document.documentElement;
      for (const name of ["dark", "light"]) {
        if (outer !== document.documentElement && outer.classList.contains(name)) return name;
      }
      const kept = window.localStorage.getItem("theme");
      if (kept === "dark" || kept === "light") return kept;
    } catch {
      // Another origin's frame, or no storage: the system decides.
    }
    return dark.matches ? "dark" : "light";
  };
  const apply = () => {
    const theme = chosen();
    if (document.documentElement.dataset.theme === theme) return;
    document.documentElement.dataset.theme = theme;
    window.dispatchEvent(new Event("themechange"));
  };
  if (window.parent !== window) document.documentElement.dataset.framed = "";
  apply();
  dark.addEventListener("change", apply);
  window.addEventListener("storage", () => window.setTimeout(apply, 50));
})();
