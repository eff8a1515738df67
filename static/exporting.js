// A file that takes the server a while to make: the status bar says so until it is there, or why it cannot be had.
(() => {
  let going = 0;

  function count(step) {
    going += step;
    const place = document.getElementById("sb-export");
    if (place) place.textContent = going ? "Exporting…" : "";
  }

  function nameIn(answer) {
    const said = answer.headers.get("content-disposition") ?? "";
    const [, encoded, plain] = said.match(/filename\*=utf-8''([^;]+)|filename="([^"]+)"/i) ?? [];
    return encoded ? decodeURIComponent(encoded) : plain ?? "";
  }

  async function fetched(address) {
    const answer = await fetch((window.path_prefix || "") + address);
    if (!answer.ok) {
      throw new Error((await answer.json().catch(() => null))?.message ?? "The server couldn’t create it.");
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = nameIn(answer);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  window.exportFile = (address) => {
    count(1);
    fetched(address).catch((error) => emitEvent("export_failed", error.message)).finally(() => count(-1));
  };
})();
