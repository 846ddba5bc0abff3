import { lazy } from 'react';
import { Route, Switch } from 'wouter';
import { ItemPage } from './item-page.tsx';
import { CatalogueList } from './list.tsx';

/** Reading files takes code that nobody else needs. */
const ImportPage = lazy(async () => ({ default: (await import('./import/import-page.tsx')).ImportPage }));

export function Page() {
  return (
    <Switch>
      <Route path="/:environment/catalogue/import">
        <ImportPage />
      </Route>
      <Route path="/:environment/catalogue/:type/:id">
        {({ type, id }) => (
          <ItemPage
            key={`${type}/${id}`}
            itemType={decodeURIComponent(type)}
            itemId={decodeURIComponent(id)}
          />
        )}
      </Route>
      <Route>
        <CatalogueList />
      </Route>
    </Switch>
  );
}
