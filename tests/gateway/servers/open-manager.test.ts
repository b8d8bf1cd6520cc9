import {mkdirSync, statSync} from 'node:fs';
import {expect, test} from 'vitest';
import {homePaths, profilePaths} from '../../../source/config/home-paths.ts';
import {loadConfig} from '../../../source/config/load-config.ts';
import {systemClock} from '../../../source/core/clock.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {createSecretList} from '../../../source/core/redact.ts';
import {createManagerOpener} from '../../../source/gateway/servers/open-manager.ts';
import {probeSandbox} from '../../../source/tools/sandbox/probe-sandbox.ts';
import {plainAuthorities} from '../../helpers/authorities.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {compileCache} from '../../mcp/servers/stdio-server.ts';

const probe = await probeSandbox(process.env);

const program = new URL('../../mcp/servers/stdio-program.mjs', import.meta.url).pathname;

/** The managers of a home and its profile `work`, with the servers of this `config.yaml`; `HOME` is a folder in the home. */
async function openManagers(config: (home: string) => object) {
	await using stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	await home.write('config.yaml', JSON.stringify(config(home.path)));
	await home.write('profiles/work/.env', '');
	const paths = homePaths({environment: {SVC_HOME: home.path}});
	const environment = {PATH: process.env['PATH'] ?? '', HOME: home.file('person')};
	const loaded = loadConfig({paths, environment});
	if (!loaded.ok) {
		throw new Error('The configuration is not sound');
	}

	const opener = stack.use(
		createManagerOpener({
			clock: systemClock,
			log: silentLogger,
			redact: text => text,
			paths,
			environment,
			authorities: plainAuthorities,
			secrets: createSecretList(),
			workdir: () => loaded.config.toolsets.terminal.workdir,
			elicit: async () => ({action: 'cancel'}),
		}),
	);
	const owned = stack.move();
	return {
		home,
		async open(profile: 'default' | 'work') {
			const manager = owned.use(
				await opener.open({
					profile,
					paths: profile === 'default' ? paths : profilePaths(paths, profile),
					environment: () => environment,
					onChange() {},
					onRemoved() {},
				}),
			);
			await manager.apply(loaded.config.toolServers);
			await manager.ready(new AbortController().signal);
			return {
				views: manager.views(),
				/** What the tool `about` says of the server. */
				async about(server: string) {
					const tools = manager.tools().get(server) ?? [];
					const result = await tools
						.find(({name}) => name.endsWith('__about'))
						?.execute({}, {signal: new AbortController().signal});
					return JSON.parse(result?.text ?? '{}') as {args: string[]; env: object};
				},
			};
		},
		[Symbol.asyncDispose]: async () => owned.disposeAsync(),
	};
}

test('the sandbox of a server is judged by the places of the profile that it is of', async ({
	skip,
}) => {
	if (!probe.works) {
		skip(`no sandbox works here: ${probe.reason}`);
	}

	await using managers = await openManagers(home => ({
		mcp_servers: {
			files: {
				command: process.execPath,
				args: [program],
				sandbox: {
					read: [process.execPath, program],
					write: [`${home}/profiles/work/work`],
				},
			},
		},
	}));
	mkdirSync(managers.home.file('profiles/work/work'), {recursive: true});

	const ofWork = await managers.open('work');
	const ofHome = await managers.open('default');

	expect(ofWork.views).toMatchObject([{profile: 'work', status: 'connected'}]);
	expect(ofHome.views).toMatchObject([
		{profile: 'default', status: 'parked', reason: expect.stringContaining('is out of reach')},
	]);
});

test.for([
	[
		'toolsets.terminal.workdir, made when it is missing',
		{toolsets: {terminal: {workdir: '~/new/folder'}}},
	],
	['the folder of the process, without that key', {}],
] as const)('`${workspaceFolder}` is %s', async ([, settings]) => {
	await using managers = await openManagers(() => ({
		...settings,
		mcp_servers: {
			files: {
				command: process.execPath,
				args: [program, 'plain', '${workspaceFolder}'],
				env: {...compileCache, BASE: '${workspaceFolderBasename}'},
			},
		},
	}));

	const manager = await managers.open('default');

	const wanted = 'toolsets' in settings ? managers.home.file('person/new/folder') : process.cwd();
	expect(await manager.about('files')).toMatchObject({
		args: ['plain', wanted],
		env: {BASE: wanted.split('/').at(-1)},
	});
	expect((statSync(wanted).mode & 0o777) === 0o700).toBe('toolsets' in settings);
});
