/** The search operations: they check their input; searching itself does not work yet. */

import type { JsonObject } from '@bufbuild/protobuf';
import { SearchService } from '../../gen/es/personalisation/v1/search_service_pb.js';
import { type Deployment, itemFields } from '../deployment/deployment.ts';
import { DomainError, type Violation } from '../errors.ts';
import { implement } from './implement.ts';
import { refuse } from './operations.ts';

export function createSearchHandlers({ deployment }: { deployment: Deployment }) {
  const check = (environment: string, filterBy: JsonObject | undefined, groupBy: string[]) => {
    const settings = deployment.environments.get(environment)!;
    refuse([
      ...Object.keys(filterBy ?? {}).flatMap((field): Violation[] =>
        settings.filterFields.has(field)
          ? []
          : [{ pointer: `/filter_by/${field}`, detail: 'Is not a filter field of the environment.' }],
      ),
      ...groupBy.flatMap((field, i): Violation[] =>
        itemFields.has(field) || settings.properties.has(field)
          ? []
          : [{ pointer: `/group_by/${i}`, detail: 'Is neither a field of Item nor a declared property.' }],
      ),
    ]);
  };

  return implement(SearchService, {
    async createSearch({ environment, request }) {
      check(environment, request!.filterBy, request!.groupBy);
      throw notYet('Search');
    },
    async getSearchList({ listKey }) {
      throw new DomainError('LIST_UNKNOWN', 'There is no such list, or it has expired.', {
        metadata: { list_key: listKey },
      });
    },
    async createCompletions({ environment, request }) {
      check(environment, request!.filterBy, []);
      throw notYet('Completion');
    },
  });
}

function notYet(what: string): DomainError {
  return new DomainError('NOT_IMPLEMENTED', `${what} does not work yet.`);
}
