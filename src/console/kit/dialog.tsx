/** Dialogs and forms: their buttons, failures and confirmations. */

import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { t } from '../texts/texts.ts';
import { ErrorNotice } from './page.tsx';
import { useChange } from './queries.ts';

type DialogButtonsProps = ButtonProps & {
  /** Label of the button that closes the dialog [Cancel]. */
  cancel?: string;
  /** Explains why the other button is disabled. */
  title?: string;
  type?: 'submit';
  /** Of the other button. */
  children: string;
  onClick?(): void;
  /** Absent without the button that closes. */
  onClose?(): void;
};

/** Buttons at the end of a dialog: one that closes it, and one that acts. */
export const DialogButtons = ({ cancel, variant = 'filled', onClose, mt, ...rest }: DialogButtonsProps) => (
  <Group justify="flex-end" mt={mt}>
    {onClose && (
      <Button onClick={onClose} data-autofocus={cancel !== undefined || undefined}>
        {cancel ?? t('Cancel')}
      </Button>
    )}
    <Button variant={variant} {...rest} />
  </Group>
);

type FormProps = Pick<DialogButtonsProps, 'onClose' | 'variant'> & {
  /** Label of the button that sends the form. */
  submit: string;
  /** Disables that button. */
  isIncomplete?: boolean;
  /** What is missing; disables that button, too. */
  lack?: string;
  /** Mutation that the form starts. */
  error?: Error | null;
  isPending?: boolean;
  /** @param read Returns the value of a named field. */
  onSubmit(read: (name: string) => string): void;
  children: ReactNode;
};

/** Form of a dialog, with the failure of its mutation and its buttons. */
export function Form(props: FormProps) {
  const { submit, isIncomplete, lack, error, isPending, onSubmit, onClose, variant, children } = props;
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    onSubmit((name) => String(fields.get(name)));
  };
  const isDisabled = isIncomplete || lack !== undefined;
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        {children}
        {error && <ErrorNotice error={error} />}
        <DialogButtons
          {...{ type: 'submit', loading: isPending, disabled: isDisabled, title: lack, onClose, variant }}
        >
          {submit}
        </DialogButtons>
      </Stack>
    </form>
  );
}

type Mutation = { error: Error | null; isPending: boolean; reset(): void };

type ConfirmDialogProps = {
  isOpen: boolean;
  title: string;
  /** Label of the button that confirms. */
  confirm: string;
  /** Label of the button that closes the dialog [Cancel]. */
  cancel?: string;
  isHarmless?: boolean;
  isDisabled?: boolean;
  mutation?: Mutation;
  onConfirm(): void;
  onClose(): void;
  /** Consequence of confirming. */
  children: ReactNode;
};

/** Asks before a change. Closing it forgets the error, which belongs to the object asked about. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, title, confirm, cancel, isHarmless, isDisabled, mutation, onConfirm, onClose } = props;
  const close = () => {
    mutation?.reset();
    onClose();
  };
  return (
    <Modal opened={isOpen} onClose={close} title={title}>
      <Text size="sm" component="div">
        {props.children}
      </Text>
      {mutation?.error && <ErrorNotice error={mutation.error} />}
      <DialogButtons
        mt="md"
        cancel={cancel}
        color={isHarmless ? undefined : 'red.8'}
        loading={mutation?.isPending}
        disabled={isDisabled}
        onClick={onConfirm}
        onClose={close}
      >
        {confirm}
      </DialogButtons>
    </Modal>
  );
}

type ChangeDialogProps<Input extends DescMessage, Output extends DescMessage> = Omit<
  ConfirmDialogProps,
  'mutation' | 'onConfirm'
> & {
  method: DescMethodUnary<Input, Output>;
  request: MessageInitShape<Input>;
  /** Receives the answer at once, even if the dialog has been closed meanwhile. */
  onDone?(answer: MessageShape<Output>): void;
};

/** Asks before a call, and closes when the page shows the change. */
export function ChangeDialog<Input extends DescMessage, Output extends DescMessage>({
  method,
  request,
  onDone,
  ...rest
}: ChangeDialogProps<Input, Output>) {
  const change = useChange(method, onDone);
  const confirm = () => change.mutate(request, { onSuccess: rest.onClose });
  return <ConfirmDialog {...rest} mutation={change} onConfirm={confirm} />;
}
