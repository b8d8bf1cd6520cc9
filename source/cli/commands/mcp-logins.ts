import {type Command, Option} from 'commander';
import type {LoginFlow} from '../../core/logins.ts';
import type {Context} from '../console/context.ts';

type LoginOptions = {readonly flow?: LoginFlow; readonly json?: boolean};

const reference = ['<name>', 'name of the tool server'] as const;

const flowOption = () =>
	new Option('--flow <way>', 'for this once; oauth.flow when absent').choices([
		'browser',
		'device',
	]);

/** `svc mcp login|reauth|logout|client-document`. @see manual/logins.md */
export function addLoginCommands(group: Command, context: Context): void {
	group
		.command('login')
		.description('log in to a tool server with "auth: oauth"; a running gateway takes it over')
		.argument(...reference)
		.addOption(flowOption())
		.option('--json', 'print JSON')
		.action(async (name: string, {flow, json = false}: LoginOptions) => {
			const {logIn} = await import('../mcp/log-in.ts');
			await logIn(context, {name, flow, json});
		});

	const reauth = group
		.command('reauth')
		.description('log in again, to one tool server or to all that want a login')
		.argument('[name]', 'name of the tool server')
		.option('--all', 'one after the other')
		.addOption(flowOption())
		.option('--json', 'print JSON');
	reauth.action(
		async (
			name: string | undefined,
			{all = false, flow, json = false}: LoginOptions & {all?: boolean},
		) => {
			if ((name === undefined) !== all) {
				reauth.error('error: use either a name or --all');
			}

			const {logIn, logInToAll} = await import('../mcp/log-in.ts');
			await (name === undefined
				? logInToAll(context, {flow, json})
				: logIn(context, {name, flow, json}));
		},
	);

	group
		.command('logout')
		.description('remove the login to a tool server; the next call needs another one')
		.argument(...reference)
		.option('--json', 'print JSON')
		.action(async (name: string, {json = false}: LoginOptions) => {
			const {logOut} = await import('../mcp/log-out.ts');
			await logOut(context, {name, json});
		});

	group
		.command('client-document')
		.description('print the client metadata document to host, for oauth.client_metadata_url')
		.requiredOption('--url <url>', 'where it is to be found')
		.action(async ({url}: {url: string}) => {
			const {printClientDocument} = await import('../mcp/client-document.ts');
			printClientDocument(context, {url});
		});
}
