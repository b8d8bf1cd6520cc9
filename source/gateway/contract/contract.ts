import {approvals} from './approvals.ts';
import {deliveries} from './deliveries.ts';
import {gateway} from './gateway.ts';
import {groups} from './groups.ts';
import {history} from './history.ts';
import {install} from './install.ts';
import {jobs} from './jobs.ts';
import type {Operations} from './operation.ts';
import {routeEditor} from './route-editor.ts';
import {routes} from './routes.ts';
import {runs} from './runs.ts';
import {servers} from './servers.ts';

/**
 * The control API: every operation but the event stream, by the name of its command. The commands' types, the calls of a client, the server's routing and checks, and the
 * OpenAPI document follow from it.
 */
export const contract = {
	...deliveries,
	...runs,
	...groups,
	...jobs,
	...approvals,
	...servers,
	...history,
	...install,
	...routes,
	...routeEditor,
	...gateway,
} as const satisfies Operations;
