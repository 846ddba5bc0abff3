import { lazy } from 'react';
import { Route, Switch } from 'wouter';
import { CatalogueList } from './list.tsx';

/** Loaded on demand: the list needs neither. */
const ItemPage = lazy(async () => ({ default: (await import('./item-page.tsx')).ItemPage }));
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
