// Before the first paint: the colours that were chosen on this page, or those that the system prefers.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("bitmeter-theme");
  } catch {
    // a window without storage
  }
  const known = chosen === "dark" || chosen === "light";
  document.documentElement.dataset.theme = known ? chosen : matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
})();
