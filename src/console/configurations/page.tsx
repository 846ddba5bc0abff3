import { lazy } from 'react';
import { Route, Switch } from 'wouter';
import { ConfigurationList } from './list.tsx';

/** Loaded on demand: the editor is most of the script, and the list does not need it. */
const ConfigurationPage = lazy(async () => ({
  default: (await import('./configuration-page.tsx')).ConfigurationPage,
}));

export function Page() {
  return (
    <Switch>
      <Route path="/:environment/configurations/:id/:tab?">
        {({ id, tab }) => <ConfigurationPage key={id} configurationId={decodeURIComponent(id)} tab={tab} />}
      </Route>
      <Route>
        <ConfigurationList />
      </Route>
    </Switch>
  );
}
