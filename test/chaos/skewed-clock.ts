/** Preloaded into the service: sets its clock CLOCK_SKEW_MS ahead, or behind if negative. */

const skewMs = Number(process.env.CLOCK_SKEW_MS ?? 0);
const RealDate = Date;
const now = () => RealDate.now() + skewMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given) => (given.length === 0 ? new target(now()) : Reflect.construct(target, given)),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
