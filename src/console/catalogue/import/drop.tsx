import { Alert, Button, FileButton, Paper } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { endings, formatOf } from '../../../formats/records/formats.ts';
import { FileUp } from '../../kit/icons.ts';
import { Empty } from '../../kit/page.tsx';
import { t } from '../../texts/texts.ts';
import classes from './import.module.css';

/** Takes a dropped or chosen file. */
export function Drop({ onFile }: { onFile(file: File): void }) {
  const [isOver, setOver] = useState(false);
  const [wrongName, setWrongName] = useState<string>();
  const take = (file: File | null | undefined) => {
    if (!file) return;
    if (formatOf(file.name)) onFile(file);
    else setWrongName(file.name);
  };
  const drag = (isEntering: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(isEntering);
  };
  const drop = (event: DragEvent) => {
    drag(false)(event);
    take(event.dataTransfer.files[0]);
  };
  return (
    <>
      <Paper
        className={classes.drop}
        data-over={isOver || undefined}
        data-testid="drop"
        onDragOver={drag(true)}
        onDragLeave={drag(false)}
        onDrop={drop}
      >
        <Empty icon={FileUp} title={t('Drop a file here')}>
          {t(
            'CSV, TSV, Excel, JSON or XML, optionally compressed as .gz. The first line of a table names the columns.',
          )}
          <br />
          <FileButton onChange={take} accept={endings.join(',')}>
            {(props) => (
              <Button {...props} mt="md">
                {t('Choose a file')}
              </Button>
            )}
          </FileButton>
        </Empty>
      </Paper>
      {wrongName && (
        <Alert color="red" mt="md" role="alert">
          {t(
            '{wrongName} is not a CSV, TSV, Excel, JSON or XML file. Choose a file with one of their extensions.',
            { wrongName },
          )}
        </Alert>
      )}
    </>
  );
}

let handed: File | undefined;

export function handFile(file: File): void {
  handed = file;
}

export function takeHandedFile(): File | undefined {
  const file = handed;
  handed = undefined;
  return file;
}
