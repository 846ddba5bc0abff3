/** Limits for the difference between the time and the arrival of an event. */
import { sql } from 'kysely';

/** Tolerated lead of a client clock, and tolerated delay of an event. */
export const ahead = sql`interval '2 seconds'`;
export const late = sql`interval '60 seconds'`;
/** Older events count as imported history. */
export const history = sql`interval '1 day'`;
