/** Faults and warnings of a draft while it is edited. */

import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useMemo } from 'react';
import {
  type Configuration,
  ConfigurationSchema,
} from '../../../../gen/es/personalisation/v1/configuration_pb.js';
import { ConfigurationService } from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { decodeJson } from '../../../formats/codec.ts';
import type { Document } from '../../grammar/document.ts';
import { useRead, violationsOf } from '../../kit/queries.ts';
import { useConsole } from '../../service/console-context.ts';

export type Finding = { pointer: string; detail: string; isFault: boolean };

export type Findings = {
  of(part: 'constraints' | 'preferences', index: number): Finding[];
  /** Findings of no single rule or preference. */
  general: Finding[];
  all: Finding[];
  /** The draft as a message, after a pause in typing; undefined while it has faults. */
  message?: Configuration;
};

const typingMs = 250;

export function useFindings(configurationId: string, document: Document | undefined): Findings {
  const { can } = useConsole();
  const [settled] = useDebouncedValue(document, typingMs);
  const decoded = useMemo(() => decode(configurationId, settled), [configurationId, settled]);
  const message = decoded?.violations.length === 0 ? decoded.message : undefined;
  const { data, error } = useRead(
    ConfigurationService.method.lintConfiguration,
    { configuration: message },
    {
      enabled: message !== undefined && can('configurations'),
      placeholderData: keepPreviousData,
      retry: false,
    },
  );
  return useMemo(() => {
    const warnings = error || !message ? [] : (data?.warnings ?? []);
    const violations = [...(decoded?.violations ?? []), ...(error ? violationsOf(error) : [])];
    const all = [
      ...violations.map(({ pointer, detail }) => ({ pointer, detail, isFault: true })),
      ...warnings.map(({ pointer, detail }) => ({ pointer, detail, isFault: false })),
    ];
    const placed = (finding: Finding) => /\/(constraints|preferences)\/\d+/.test(finding.pointer);
    const general = all.filter((finding) => !placed(finding));
    if (error && violations.length === 0) general.push({ pointer: '', detail: error.message, isFault: true });
    return {
      all,
      general,
      message: error ? undefined : message,
      of: (part, index) => all.filter(({ pointer }) => new RegExp(`/${part}/${index}(/|$)`).test(pointer)),
    };
  }, [data, error, message, decoded]);
}

const decode = (configurationId: string, document: Document | undefined) =>
  document && decodeJson(ConfigurationSchema, { ...document, configuration_id: configurationId });
