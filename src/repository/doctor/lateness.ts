/** When the moment that an event names is told from that of its arrival. */
import { sql } from 'kysely';

/** How far a clock may be ahead, and how late an event may be, before it counts. */
export const ahead = sql`interval '2 seconds'`;
export const late = sql`interval '60 seconds'`;
/** Later ones are history that somebody loads. */
export const history = sql`interval '1 day'`;
