import type pg from 'pg';
import type { Database } from '../../src/repository/database.ts';

type Answer = Pick<pg.QueryResult, 'rows' | 'fields'>;
type Done = (error: unknown, answer?: Answer) => void;

/** A pool over any query function, such as one connection of a test. */
export function poolOf<Statement>(answer: (statement: Statement) => Promise<Answer>): Database['pool'] {
  const query = (statement: Statement, done?: Done) => {
    const answered = answer(statement);
    if (done === undefined) return answered;
    answered.then((rows) => done(undefined, rows), done);
  };
  return { query, connect: async () => ({ query, release: () => undefined }) } as unknown as Database['pool'];
}
