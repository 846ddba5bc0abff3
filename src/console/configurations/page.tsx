import { Route, Switch } from 'wouter';
import { ConfigurationPage } from './configuration-page.tsx';
import { ConfigurationList } from './list.tsx';

export function Page() {
  return (
    <Switch>
      <Route path="/:environment/configurations/:id/:tab?">
        {({ id, tab }) => (
          <ConfigurationPage key={id} configurationId={decodeURIComponent(id)} tab={tab ?? 'edit'} />
        )}
      </Route>
      <Route>
        <ConfigurationList />
      </Route>
    </Switch>
  );
}
