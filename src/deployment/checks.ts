/** Checks and defaults that several sections of a deployment file share. */

/** Reports a fault of a part of the file. @param pointer JSON pointer of the faulty value within the part. */
export type Faults = (pointer: string, detail: string) => void;

/** Returns what reports the faults of a part. @param path Of the part, within the one that `fault` is for. */
export function within(fault: Faults, path: string): Faults {
  return (pointer, detail) => fault(`/${path}${pointer}`, detail);
}

/** Reports the entries of the list that are not allowed. */
export function checkEach<Entry>(
  entries: readonly Entry[],
  isAllowed: (entry: Entry) => boolean,
  detail: string,
  fault: Faults,
): void {
  for (const [i, entry] of entries.entries()) if (!isAllowed(entry)) fault(`/${i}`, detail);
}

/** Names of environments, item types and user properties, which are parts of paths. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function checkName(name: string, fault: Faults): void {
  if (!namePattern.test(name))
    fault('', 'Must be letters, digits, - _ . and at most 64 characters, the first a letter or a digit.');
}

/** Reports each name that is in the list before. @param field Pointer of the name within its entry. */
export function checkDistinct(names: readonly string[], fault: Faults, field = ''): void {
  for (const [i, name] of names.entries())
    if (names.indexOf(name) < i) fault(`/${i}${field}`, `Duplicate name ${JSON.stringify(name)}.`);
}

export function checkNames(messages: readonly { name: string }[], fault: Faults): void {
  checkDistinct(
    messages.map(({ name }) => name),
    fault,
    '/name',
  );
}

/** Returns the declared settings that `defaults` names, and the defaults of the others. */
export function withDefaults<Settings extends object>(
  defaults: Settings,
  declared: { readonly [Name in keyof Settings]?: Settings[Name] | undefined } | undefined,
): Settings {
  const names = Object.keys(defaults) as (keyof Settings)[];
  const settings = names.map((name) => [name, declared?.[name] ?? defaults[name]]);
  return Object.fromEntries(settings) as Settings;
}

/** Returns minutes after midnight of times such as `03:30`. */
export function readTimesOfDay(times: readonly string[], fault: Faults): number[] {
  return times.map((time, i) => {
    const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
    if (hours === undefined) fault(`/${i}`, 'Must be a time of day, 00:00 to 23:59.');
    return 60 * Number(hours) + Number(minutes);
  });
}

export function isWebAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}
