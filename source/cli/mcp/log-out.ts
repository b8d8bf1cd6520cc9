import {forgetLogin} from '../../mcp/oauth/forget-login.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines} from '../console/print.ts';
import {serverNotFound} from './find-servers.ts';
import {loginHome} from './login-desk.ts';

/** Removes what is kept of the login to a server, also of one that is not configured any more. @throws SvcError `server_not_found` */
export async function logOut(
	context: Context,
	{name, json}: {readonly name: string; readonly json: boolean},
): Promise<void> {
	const {clock} = context;
	const wasLoggedIn = await forgetLogin(context.paths().mcpTokens, {server: name, clock});
	if (!wasLoggedIn) {
		const {config} = await loginHome(context);
		if (!config().toolServers.has(name)) {
			throw serverNotFound(context, name);
		}
	}

	if (json) {
		printJson(context, {server: name, wasLoggedIn});
	} else {
		printLines(context, [wasLoggedIn ? `Logged out of ${name}` : `No login to ${name} was stored`]);
	}
}
