import type {LoginFlow, LoginPlace} from '../../core/logins.ts';
import type {ServerView} from '../../core/tool-server.ts';
import type {Safe} from '../../core/untrusted.ts';
import {serverKey} from '../../nouns/server/server.ts';
import {literal} from '../../terminal/text/safe.ts';
import {loginList} from '../entries/login-list.ts';
import type {Shell} from '../shell/shell.ts';
import {jumpTo} from './jump.ts';
import {openDetail} from './navigate.ts';
import {setTemporaryFilter} from './temporary-filter.ts';

/** Names a server as the commands for logins do. */
export const loginPlaceOfServer = ({
	name,
	profile,
}: Pick<ServerView, 'name' | 'profile'>): LoginPlace => ({
	server: name,
	profile,
});

/** Why a login to a server is impossible; `undefined` if it is possible. */
export function noLogin({login, status, transport}: ServerView): Safe | undefined {
	if (status === 'skipped') {
		return literal('It is switched off: set enabled: true in config.yaml');
	}

	if (login) {
		return undefined;
	}

	return transport === 'stdio'
		? literal(
				'It is a program and has no login: what it needs goes into its env, T opens config.yaml',
			)
		: literal('It has no login: where it wants one, set auth: oauth in config.yaml (T)');
}

/** Begins a login and shows what to do next. Absent `flow`: as configured for the server. */
export function startLogin(shell: Shell, server: ServerView, flow?: LoginFlow): void {
	shell.logins.start(loginPlaceOfServer(server), {...(flow && {flow})});
	goToLogin(shell, server);
}

/** Shows the login of a server. */
export function goToLogin(shell: Shell, server: Pick<ServerView, 'name' | 'profile'>): void {
	jumpTo(shell, loginList);
	const list = shell.list(loginList);
	const key = serverKey(server);
	if (!list.select(key)) {
		setTemporaryFilter(shell, list, '');
		list.select(key);
	}

	openDetail(shell);
}
