import { useMutation } from '@connectrpc/connect-query';
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Training } from '../../../gen/es/personalisation/v1/training_pb.js';
import { TrainingService } from '../../../gen/es/personalisation/v1/training_service_pb.js';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { useRefresh } from '../kit/queries.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { verdictOf } from './states.tsx';

/** Serves the models of a training again, while they are kept. */
export function Restore({ training }: { training: Training }) {
  const { restorable, version, comparison } = training;
  const [isAsking, asking] = useDisclosure(false);
  if (!restorable) return null;
  return (
    <>
      <Button variant="default" size="compact-xs" onClick={asking.open}>
        {t('Restore')}
      </Button>
      <RestoreDialog
        isOpen={isAsking}
        title={t('Restore the models of version {version}?', { version })}
        version={version}
        verdict={verdictOf(comparison)}
        onClose={asking.close}
      />
    </>
  );
}

type RestoreDialogProps = {
  isOpen: boolean;
  title: string;
  /** [the version before the live one] */
  version?: number;
  verdict?: string;
  onClose(): void;
};

export function RestoreDialog({ isOpen, title, version, verdict = '', onClose }: RestoreDialogProps) {
  const { environment } = useConsole();
  const rollBack = useMutation(TrainingService.method.rollBackModels, {
    ...useRefresh(),
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={title}
      confirm={version === undefined ? t('Roll back') : t('Restore')}
      isHarmless
      mutation={rollBack}
      onConfirm={() => rollBack.mutate({ environment: environment.name, version })}
      onClose={onClose}
    >
      {verdict}{' '}
      {t('Every node serves them within seconds. Automatic training is paused until you train again.')}
    </ConfirmDialog>
  );
}
