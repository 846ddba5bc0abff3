/** The `limits` section of a deployment file. */

import type { Limits } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { defaultLimits, type LimitSettings } from './deployment.ts';

export function convertLimits(limits: Limits | undefined): LimitSettings {
  return {
    itemsPerRequest: limits?.itemsPerRequest ?? defaultLimits.itemsPerRequest,
    historyEntriesPerRequest: limits?.historyEntriesPerRequest ?? defaultLimits.historyEntriesPerRequest,
    variableBytes: limits?.variableBytes ?? defaultLimits.variableBytes,
    answerBytes: limits?.answerBytes ?? defaultLimits.answerBytes,
    unreadBytesPerPeer: limits?.unreadBytesPerPeer ?? defaultLimits.unreadBytesPerPeer,
    unreadBytes: limits?.unreadBytes ?? defaultLimits.unreadBytes,
    newNamesPerHour: limits?.newNamesPerHour ?? defaultLimits.newNamesPerHour,
  };
}
