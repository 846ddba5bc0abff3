/** Operations of ViewService: saved views, personal or shared. */

import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ViewService } from '../../../gen/es/personalisation/v1/view_service_pb.js';
import { DomainError } from '../../errors.ts';
import type { Database } from '../../repository/database.ts';
import {
  type DocumentRow,
  deleteDocument,
  findDocument,
  listDocuments,
  saveDocument,
  views as viewKind,
} from '../../repository/kept/documents.ts';
import { permits } from '../../security/scopes.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { checkId, notFound, refuse } from '../chain/refuse.ts';
import { actorOf } from '../messages/actor.ts';

type StoredView = { title: string; query: string; shared: boolean; pinned: boolean };

/** Personal views of a client or person in an environment. */
const mostPersonal = 25;

const viewOf = ({ document }: DocumentRow) => document as StoredView;

const isOwn = (row: DocumentRow, { caller }: Call) => row.clientId === (caller?.clientId ?? null);

const isSeen = (row: DocumentRow, call: Call) => viewOf(row).shared || isOwn(row, call);

export function createViewHandlers({ db }: { db: Database }) {
  /** @throws BODY_INVALID */
  async function requireRoom(call: Call, environment: string): Promise<void> {
    const rows = await listDocuments(db, viewKind, environment, { limit: viewKind.most });
    const personal = rows.filter((row) => isOwn(row, call) && !viewOf(row).shared);
    if (personal.length < mostPersonal) return;
    refuse([{ pointer: '', detail: `You have ${mostPersonal} personal views here; delete one first.` }]);
  }

  return implement(ViewService, {
    async listViews({ environment }, call) {
      const rows = await listDocuments(db, viewKind, environment, { limit: viewKind.most });
      return { views: rows.filter((row) => isSeen(row, call)).map(messageOf) };
    },
    async getView({ environment, viewId }, call) {
      const row = await findDocument(db, viewKind, environment, viewId);
      if (!row || !isSeen(row, call)) throw unknownView(viewId);
      return { view: messageOf(row) };
    },
    async putView({ environment, viewId: id, view, expectedRevision }, call) {
      const { viewId: given, title, query, shared, pinned } = view!;
      refuse(checkId(given, id, '/view_id'));
      const row = await findDocument(db, viewKind, environment, id);
      requireRight(call, environment, row, shared);
      if (!row && !shared) await requireRoom(call, environment);
      const document: StoredView = { title, query, shared, pinned };
      const write = { environment, id, document, ...actorOf(call) };
      const isAny = expectedRevision === undefined || (row && expectedRevision === -1);
      /** The rights hold for this revision. */
      const expected = isAny ? (row?.revision ?? 0) : expectedRevision;
      return { revision: await saveDocument(db, viewKind, { ...write, expectedRevision: expected }) };
    },
    async deleteView({ environment, viewId: id, expectedRevision = -1 }, call) {
      const row = await findDocument(db, viewKind, environment, id);
      if (!row || !isSeen(row, call)) throw unknownView(id);
      requireRight(call, environment, row, false);
      const expected = expectedRevision === -1 ? row.revision : expectedRevision;
      const write = { environment, id, expectedRevision: expected, ...actorOf(call) };
      if (!(await deleteDocument(db, viewKind, write))) throw unknownView(id);
      return {};
    },
  });
}

/**
 * @param row The present view, if any.
 * @param shared Whether it becomes a shared one.
 * @throws SCOPE_MISSING
 */
function requireRight(call: Call, environment: string, row: DocumentRow | undefined, shared: boolean): void {
  const metadata = { client_id: call.caller?.clientId ?? '', scope: `metrics:${environment}` };
  if (row && !isSeen(row, call))
    throw new DomainError('SCOPE_MISSING', 'This id belongs to a view of another person.', { metadata });
  if (!shared && !(row && viewOf(row).shared)) return;
  if (permits(call.caller?.scopes ?? [], 'metrics', environment, 'edit')) return;
  const detail = 'Shared views need the right to edit: the role editor, or the scope metrics.';
  throw new DomainError('SCOPE_MISSING', detail, { metadata });
}

function messageOf(row: DocumentRow) {
  const { id: viewId, revision, updatedAt, clientId, clientName } = row;
  const written = { revision, updateTime: timestampFromDate(updatedAt) };
  return { ...viewOf(row), viewId, ...written, clientId: clientId ?? '', clientName: clientName ?? '' };
}

const unknownView = (viewId: string) => notFound('VIEW_UNKNOWN', 'view', viewId, { view_id: viewId });
