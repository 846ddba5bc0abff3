/** Stored pages of the served environments, as in the database. */

import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import {
  type PageDefinition,
  PageDefinitionSchema,
} from '../../../gen/es/personalisation/v1/page_service_pb.js';
import type { Follower } from '../../ranking/runtime/follower.ts';
import { pages } from '../../repository/kept/documents.ts';
import { createDocumentReplica, type DocumentReplicaOptions } from '../documents/document-replica.ts';

export type PageReplica = Follower & {
  find(environment: string, pageId: string): PageDefinition | undefined;
};

export const readPageDefinition = (document: unknown): PageDefinition =>
  fromJson(PageDefinitionSchema, document as JsonValue, { ignoreUnknownFields: true });

export function createPageReplica(options: Omit<DocumentReplicaOptions, 'kind' | 'put'>): PageReplica {
  const known = new Map<string, PageDefinition>();
  const keyOf = (environment: string, pageId: string) => `${environment}\u0000${pageId}`;
  const replica = createDocumentReplica({
    ...options,
    kind: pages,
    put(environment, pageId, document) {
      if (document) known.set(keyOf(environment, pageId), readPageDefinition(document));
      else known.delete(keyOf(environment, pageId));
    },
  });
  return { ...replica, find: (environment, pageId) => known.get(keyOf(environment, pageId)) };
}
