export const text = {
  title: 'Experiments',
  lead: 'What each version or group brought against the control arm. Look as often as you like: the intervals hold at all looks together.',
  none: 'No experiment runs here',
  noneLead:
    'Declare versions or user groups with shares in the deployment file; devices are then split among them, and what they bring is compared here.',
  days: 'Since',
  dimension: { version: 'Versions', user_group: 'Groups' },
  arms: 'Arms',
  mismatch:
    'Devices did not arrive in the declared shares. Assignment or tracking is broken: trust no difference before that is mended.',
  ratioFine: 'Devices arrived in the declared shares.',
  crossed: (count: string) => `${count} devices were in several arms and are left out.`,
  few: 'Too few devices for an interval yet; each arm needs 100.',
  better: (arm: string, metric: string, low: string, high: string) =>
    `${arm} changes ${metric} by ${low} to ${high}, compared with the control arm.`,
  open: (arm: string, metric: string, size: string) =>
    `No difference in ${metric} is proven for ${arm}. With the traffic so far, a change of ${size} would have been found in four of five cases.`,
  overTime: 'Intervals over time',
  overTimeLead: 'What each look since the beginning would have told, compared with the control arm.',
  arm: 'Arm',
  measure: 'Measure',
  now: (low: string, high: string) => `At the last look the true change lies between ${low} and ${high}.`,
  provenSince: (day: string) => `A difference has been proven since the look of ${day}.`,
  notYet: 'That it is none has not been ruled out: wait, or call it undecided.',
  conclude: 'What to conclude',
  caution:
    'Decide beforehand which measure decides. Of many measures one looks different by luck, and what is not proven different is not proven equal.',
};
