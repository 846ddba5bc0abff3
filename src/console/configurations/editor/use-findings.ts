/** What the service says of a draft, as one types: what a write would refuse, and what is probably not meant so. */

import { useQuery } from '@connectrpc/connect-query';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Configuration } from '../../../../gen/es/personalisation/v1/configuration_pb.js';
import { ConfigurationService } from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import type { Document } from '../../grammar/document.ts';
import { toMessage } from '../../grammar/message.ts';
import { violationsOf } from '../../kit/violations.ts';
import { useConsole } from '../../service/console-context.ts';

export type Finding = { pointer: string; detail: string; isFault: boolean };

export type Findings = {
  /** Those of one rule or preference. */
  of(part: 'constraints' | 'preferences', place: number): Finding[];
  /** Those of no rule in particular. */
  general: Finding[];
  all: Finding[];
  /** The draft as a message, a moment after the last key; undefined while it is none. */
  message?: Configuration;
};

const typingMs = 250;

export function useFindings(configurationId: string, document: Document | undefined): Findings {
  const { can } = useConsole();
  const [settled] = useDebouncedValue(document, typingMs);
  const { message, fault } = useMemo(() => readMessage(configurationId, settled), [configurationId, settled]);
  const { data, error } = useQuery(
    ConfigurationService.method.lintConfiguration,
    { configuration: message },
    {
      enabled: message !== undefined && can('configurations', 'everywhere'),
      placeholderData: keepPreviousData,
      retry: false,
    },
  );
  return useMemo(() => {
    const warnings = error ? [] : (data?.warnings ?? []);
    const violations = error ? violationsOf(error) : [];
    const all = [
      ...violations.map(({ pointer, detail }) => ({ pointer, detail, isFault: true })),
      ...warnings.map(({ pointer, detail }) => ({ pointer, detail, isFault: false })),
    ];
    const placed = (finding: Finding) => /\/(constraints|preferences)\/\d+/.test(finding.pointer);
    const whole = (detail: string): Finding => ({ pointer: '', detail, isFault: true });
    const general = all.filter((finding) => !placed(finding));
    if (error && violations.length === 0) general.push(whole(error.message));
    if (fault) general.push(whole(fault));
    return {
      all,
      general,
      message: error ? undefined : message,
      of: (part, place) => all.filter(({ pointer }) => new RegExp(`/${part}/${place}(/|$)`).test(pointer)),
    };
  }, [data, error, message, fault]);
}

function readMessage(configurationId: string, document: Document | undefined) {
  if (!document) return {};
  try {
    return { message: toMessage({ ...document, configuration_id: configurationId }) };
  } catch (error) {
    return { fault: (error as Error).message.replace(/^cannot decode [^:]*: /, '') };
  }
}
