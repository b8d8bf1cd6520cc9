import {SvcError} from '../../core/errors.ts';
import type {LoginFlow} from '../../core/logins.ts';
import {declaredClient} from '../../mcp/logins/declared-client.ts';
import {isClientDocumentUrl} from '../../mcp/oauth/client-document.ts';
import {forgetLogin} from '../../mcp/oauth/forget-login.ts';
import {loginPlaceOf} from '../../mcp/oauth/login-shelf.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell, printResult} from '../console/print.ts';
import {serverNotFound} from './find-servers.ts';
import {loginHome, openLoginSession} from './login-desk.ts';

export type LogInCommandOptions = {readonly flow?: LoginFlow; readonly json?: boolean};

/** Logs in to one server. @throws SvcError `login_failed`, `interrupted` */
export async function logInToServer(
	context: Context,
	name: string,
	{flow, json}: LogInCommandOptions,
): Promise<void> {
	await using session = openLoginSession(context, await loginHome(context));
	const attempt = await session.logIn(name, {flow});
	if (attempt.status !== 'succeeded') {
		throw new SvcError(
			attempt.status === 'cancelled' ? 'interrupted' : 'login_failed',
			attempt.reason ?? 'The login was cancelled',
		);
	}

	const {flow: used, status, serverHost} = attempt;
	const lines = [`Logged in to ${name} (${serverHost})`];
	printResult(context, {json, value: {server: name, flow: used, status}, lines});
}

/**
 * Logs in to every enabled server that needs a login, one after the other; a failure does not prevent the next.
 *
 * @throws SvcError `config_invalid`, `interrupted`
 */
export async function logInToAll(
	context: Context,
	{flow, json = false}: LogInCommandOptions,
): Promise<void> {
	const home = await loginHome(context);
	const names = [...home.config().toolServers.values()]
		.filter(({enabled, endpoint}) => enabled && endpoint.transport !== 'stdio' && endpoint.oauth)
		.map(({name}) => name);
	await using session = openLoginSession(context, home);
	const results = [];
	for (const name of names) {
		// oxlint-disable-next-line no-await-in-loop -- a person has one pair of eyes
		const {status, flow: used, reason} = await session.logIn(name, {flow});
		if (status === 'cancelled') {
			throw new SvcError('interrupted', reason ?? 'The login was cancelled');
		}

		results.push({server: name, flow: used, status, ...(reason !== undefined && {reason})});
		if (status === 'succeeded') {
			printLines(json ? {stdout: context.stderr} : context, [`Logged in to ${name}`]);
		} else {
			tell(context, reason ?? `Cannot log in to ${name}`);
			context.exit(1);
		}
	}

	const lines = names.length === 0 ? ['No tool server has "auth: oauth"'] : [];
	printResult(context, {json, value: results, lines});
}

/** Deletes the stored login of a server, even of one that is no longer configured. @throws SvcError `server_not_found` */
export async function logOut(
	context: Context,
	name: string,
	{json}: Pick<LogInCommandOptions, 'json'>,
): Promise<void> {
	const {clock} = context;
	const wasLoggedIn = await forgetLogin(loginPlaceOf(context.paths()), {server: name, clock});
	if (!wasLoggedIn) {
		const {config} = await loginHome(context);
		if (!config().toolServers.has(name)) {
			throw serverNotFound(context, name);
		}
	}

	const lines = [wasLoggedIn ? `Logged out of ${name}` : `No login to ${name} was stored`];
	printResult(context, {json, value: {server: name, wasLoggedIn}, lines});
}

/** Prints the client metadata document to be published at `url`. @throws SvcError `client_document_url_invalid` */
export function printClientDocument(context: Context, {url}: {readonly url: string}): void {
	if (!isClientDocumentUrl(url)) {
		throw new SvcError(
			'client_document_url_invalid',
			`Cannot use "${url}" as the address of a client metadata document: it must be an https:// URL with a path, without a fragment, a user name and the segments "." and ".."`,
		);
	}

	printJson(context, declaredClient(url));
}
