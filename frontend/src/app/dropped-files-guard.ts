/**
 * Browsers open a file that is dropped on a page in place of the page, and unsaved text would go with it. Ours refuse
 * dropped files, except on pages that accept them.
 */
export function refuseDroppedFiles(): void {
  for (const type of ["dragover", "drop"] as const) {
    window.addEventListener(type, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      // Pages that accept files set "copy" after this.
      event.dataTransfer.dropEffect = "none";
    });
  }
}
