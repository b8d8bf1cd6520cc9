import {type Command, InvalidArgumentError, Option} from 'commander';
import {isJsonObject, type JsonObject, parsedJson} from '../../core/json.ts';
import type {LoginFlow} from '../../core/logins.ts';
import type {GatewayCommands} from '../../gateway/port.ts';
import {serverActs, type ServerPort} from '../../nouns/server/server-acts.ts';
import {type ListedServer, serverKey, serverNoun} from '../../nouns/server/server.ts';
import type {Context} from '../console/context.ts';
import {jsonOption, loads, type Json} from '../console/options.ts';
import {requireServingGateway} from '../home/gateway-access.ts';
import type {LogInCommandOptions} from '../mcp/log-in.ts';
import {serverOptions, trustOption, type ServerOptions} from '../mcp/server-options.ts';
import {addActs} from '../nouns/act-commands.ts';
import {addShow} from '../nouns/noun-commands.ts';

type CallWords = [string, string, JsonObject | undefined, Json & {readonly yes?: boolean}];

const listServers = async (gateway: GatewayCommands) => gateway.listServers();

const reference = ['<name>', 'name of the tool server'] as const;

/** `svc mcp list|status|connect|disconnect|test|call|login|add|install|remove`. @see manual/commands.md */
export function addMcpCommands(program: Command, context: Context): void {
	const group = program.command('mcp').description('tool servers (Model Context Protocol)');

	group
		.command('list')
		.description('list the tool servers with their states and their numbers of tools')
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../mcp/find-servers.ts')).listServers));

	addShow(group, context, {
		noun: serverNoun,
		verb: 'status',
		says: 'show one tool server: its state, its tools, and which of them ask a person first',
		async read(name) {
			const {findServers} = await import('../mcp/find-servers.ts');
			// The gateway's own profile comes first.
			const item = (await findServers(context)).find(server => server.name === name);
			return item && {item};
		},
	});
	addActs<ListedServer, ServerPort, never>(group, context, {
		noun: serverNoun,
		acts: serverActs,
		idOf: name => serverKey({profile: 'default', name}),
		async open() {
			const {gateway, profile} = await requireServingGateway(context, listServers);
			return {
				connectServer: async name => gateway.connectServer(name, {profile}),
				disconnectServer: async name => gateway.disconnectServer(name, {profile}),
				async [Symbol.asyncDispose]() {},
			};
		},
	});

	group
		.command('test')
		.description(
			'connect to a tool server, list its tools and disconnect; needs no running gateway',
		)
		.argument(...reference)
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../mcp/test-server.ts')).testServer));

	group
		.command('call')
		.description(
			'call a tool by hand, as a run would: a call that needs approval is shown completely, then asks',
		)
		.argument('<server>', 'name of the tool server')
		.argument('<tool>', 'name of the tool')
		.argument('[json]', 'its arguments, a JSON object', objectArgument)
		.option('--yes', 'allow the call where there is no terminal to ask on')
		.option('--json', 'print the whole result as JSON')
		.action(async (...[server, tool, args = {}, flags]: CallWords) => {
			const {callToolByHand: callTool} = await import('../mcp/call-tool.ts');
			await callTool(context, {server, tool, args}, flags);
		});

	addLoginCommands(group, context);
	addAddCommand(group, context);

	group
		.command('install')
		.description(
			'install a tool server from a link (svc://mcp/install?…): shows it completely, then asks',
		)
		.argument('<link>', 'the whole link, in quotation marks')
		.option('--name <name>', 'another name for the server than the link has')
		.addOption(trustOption())
		.option('--dry-run', 'show what would be installed, and install nothing')
		.option('--yes', 'do not ask')
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../mcp/install-server.ts')).installServer));

	group
		.command('remove')
		.description('remove a tool server from config.yaml')
		.argument(...reference)
		.option('--yes', 'do not ask')
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../mcp/add-server.ts')).removeServer));
}

function addAddCommand(group: Command, context: Context): void {
	const add = group
		.command('add')
		.description('add a tool server to config.yaml: a program after "--", or --url')
		.usage('[options] <name> [-- command args...]')
		.argument(...reference)
		.argument('[command...]', 'program of a stdio server, with its arguments');
	for (const option of serverOptions()) {
		add.addOption(option);
	}

	add.option(...jsonOption);
	add.action(async (name: string, words: string[], options: ServerOptions) => {
		if ((options.url === undefined) === (words.length === 0)) {
			add.error('error: use either --url or a command after "--"');
		}

		const {addServer} = await import('../mcp/add-server.ts');
		await addServer(context, {name, command: words}, options);
	});
}

/** A parser for a JSON object. */
function objectArgument(text: string): JsonObject {
	const value = parsedJson(text);
	if (isJsonObject(value)) {
		return value;
	}

	throw new InvalidArgumentError('Use a JSON object in one word, such as \'{"title": "Hello"}\'.');
}

const flows: readonly LoginFlow[] = ['browser', 'device'];

const flowOption = () =>
	new Option('--flow <way>', 'way of this login; default: oauth.flow').choices(flows);

/** `svc mcp login|reauth|logout|client-document`. @see manual/logins.md */
function addLoginCommands(group: Command, context: Context): void {
	group
		.command('login')
		.description('log in to a tool server with "auth: oauth"; a running gateway uses the login')
		.argument(...reference)
		.addOption(flowOption())
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../mcp/log-in.ts')).logInToServer));

	const reauth = group
		.command('reauth')
		.description('log in again, to one tool server or to all that need a login')
		.argument('[name]', 'name of the tool server')
		.option('--all', 'one after the other')
		.addOption(flowOption())
		.option(...jsonOption);
	reauth.action(
		async (name: string | undefined, options: LogInCommandOptions & {all?: boolean}) => {
			if ((name === undefined) !== (options.all === true)) {
				reauth.error('error: use either a name or --all');
			}

			const {logInToServer: logIn, logInToAll} = await import('../mcp/log-in.ts');
			await (name === undefined ? logInToAll(context, options) : logIn(context, name, options));
		},
	);

	group
		.command('logout')
		.description('remove the login to a tool server; the next call needs another one')
		.argument(...reference)
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../mcp/log-in.ts')).logOut));

	group
		.command('client-document')
		.description('print the client metadata document to host, for oauth.client_metadata_url')
		.requiredOption('--url <url>', 'where it is to be found')
		.action(loads(context, async () => (await import('../mcp/log-in.ts')).printClientDocument));
}
