import {approvalsPane} from './approvals/approvals.ts';
import {chatPane} from './chat/chat.ts';
import {groupsPane} from './groups/groups.ts';
import {keysPane} from './keys.ts';
import {loginsPane} from './logins/logins.ts';
import {logsPane} from './logs/logs.ts';
import type {Pane} from './pane.ts';
import {routesPane} from './routes/routes.ts';
import {runsPane} from './runs/runs.ts';
import {toolsPane} from './tools/tools.ts';
import {trafficPane} from './traffic/traffic.ts';

/** The panes in the order of their keys. */
export const panes: readonly [Pane, ...Pane[]] = [
	trafficPane,
	groupsPane,
	toolsPane,
	loginsPane,
	routesPane,
	approvalsPane,
	runsPane,
	logsPane,
	keysPane,
	chatPane,
];
