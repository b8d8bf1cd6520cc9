import {approvals} from './approvals.ts';
import {chats} from './chats.ts';
import {deliveries} from './deliveries.ts';
import {gateway} from './gateway.ts';
import {groups} from './groups.ts';
import {history} from './history.ts';
import {install} from './install.ts';
import {jobs} from './jobs.ts';
import {keys} from './keys.ts';
import type {Operations} from './operation.ts';
import {routeEditor} from './route-editor.ts';
import {routes} from './routes.ts';
import {runs} from './runs.ts';
import {servers} from './servers.ts';
import {sessions} from './sessions.ts';
import {setup} from './setup.ts';

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
	...keys,
	...sessions,
	...chats,
	...servers,
	...history,
	...install,
	...routes,
	...routeEditor,
	...setup,
	...gateway,
} as const satisfies Operations;
