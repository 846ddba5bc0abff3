import { Alert, Button, FileButton, Paper, Stack, Text } from '@mantine/core';
import { FileUp } from 'lucide-react';
import { type DragEvent, useState } from 'react';
import classes from './import.module.css';
import { formatOf } from './read-file.ts';
import { text } from './text.ts';

/** Takes a file that is dropped or chosen. */
export function Drop({ onFile }: { onFile(file: File): void }) {
  const [isOver, setOver] = useState(false);
  const [wrong, setWrong] = useState<string>();
  const take = (file: File | null | undefined) => {
    if (!file) return;
    if (formatOf(file.name)) onFile(file);
    else setWrong(file.name);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  return (
    <>
      <Paper
        className={classes.drop}
        data-over={isOver || undefined}
        data-testid="drop"
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Stack align="center" gap={8} ta="center">
          <FileUp size={30} strokeWidth={1.5} className="quiet" aria-hidden />
          <Text fw={600}>{text.drop}</Text>
          <Text size="sm" className="quiet" maw={420}>
            {text.dropLead}
          </Text>
          <FileButton onChange={take} accept=".csv,.tsv,.ndjson,.jsonl,.json,.gz">
            {(props) => (
              <Button {...props} variant="default" mt="xs">
                {text.choose}
              </Button>
            )}
          </FileButton>
        </Stack>
      </Paper>
      {wrong && (
        <Alert color="red" variant="light" mt="md" role="alert">
          {text.wrongKind(wrong)}
        </Alert>
      )}
    </>
  );
}
