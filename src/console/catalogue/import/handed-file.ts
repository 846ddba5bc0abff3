/** File that another page was given, for the import page. */

let handed: File | undefined;

export function handFile(file: File): void {
  handed = file;
}

export function takeHandedFile(): File | undefined {
  const file = handed;
  handed = undefined;
  return file;
}
