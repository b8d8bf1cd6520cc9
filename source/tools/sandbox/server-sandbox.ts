import {basename} from 'node:path';
import type {ServerSandbox} from '../../config/endpoint-settings.ts';
import {messageOf} from '../../core/errors.ts';
import type {World} from '../../core/world.ts';
import type {ToolsRun} from '../toolset.ts';
import {maxTasksOf} from './control-group.ts';
import {openHosts, withEgress} from './egress.ts';
import {isInside} from './places.ts';
import {isBind, sandboxPlan} from './plan.ts';
import {probeSandbox} from './probe-sandbox.ts';
import {removeScratch, type SandboxLaunch} from './run-in-sandbox.ts';
import {findProgram, systemWorld} from './system-world.ts';

/** The total size of a server's folders in memory. */
const memoryBytes = 2 ** 29;

/** The limit of its processes and threads, where the kernel enforces it: a command's default. */
const maxTasks = maxTasksOf({maxProcesses: 256});

/** Programs that fetch a package before starting it, into a home that is empty here, with their registries. */
const registries: ReadonlyMap<string, string> = new Map([
	['npx', 'registry.npmjs.org'],
	['pnpx', 'registry.npmjs.org'],
	['bunx', 'registry.npmjs.org'],
	['uvx', 'pypi.org and files.pythonhosted.org'],
	['pipx', 'pypi.org and files.pythonhosted.org'],
]);

/** A stdio server to start in a sandbox. */
type SandboxedServer = {
	readonly name: string;
	readonly command: readonly string[];
	/** The server's own variables. */
	readonly env: Readonly<Record<string, string>>;
	readonly sandbox: ServerSandbox;
};

/** `reason` follows the server's name in a sentence of its own. */
type OpenedServerSandbox =
	| {readonly ok: true; readonly launch: SandboxLaunch}
	/** `permanent`: retrying can only succeed after the server's entry, or a file that it names, has changed. */
	| {readonly ok: false; readonly reason: string; readonly kind: 'passing' | 'permanent'};

const permanent = (reason: string): OpenedServerSandbox => ({ok: false, reason, kind: 'permanent'});

const passing = (reason: string): OpenedServerSandbox => ({ok: false, reason, kind: 'passing'});

/**
 * Prepares a stdio server's start in a sandbox made of its lists; never without one. Its proxy and the sandbox's files are released with `stack`.
 *
 * Rejects as `openHosts` does.
 *
 * @see manual/sandbox.md#tool-servers
 */
export async function openServerSandbox(
	{name, command, env, sandbox: {read, write, hosts}}: SandboxedServer,
	{
		places: {home: profileHome, ...places},
		clock,
		...options
	}: Pick<World, 'clock'> & {
		/** The folders of the server's profile. */
		readonly places: Omit<ToolsRun['profile'], 'name'>;
		/** Receives a safe sentence for each refused host. */
		readonly note: (text: string) => void;
		readonly signal: AbortSignal;
	},
	stack: AsyncDisposableStack,
): Promise<OpenedServerSandbox> {
	const [program = ''] = command;
	const registry = registries.get(basename(program));
	if (registry !== undefined && hosts.length === 0) {
		return permanent(
			`Command "${program}" fetches its package at each start: list ${registry} in sandbox.hosts, or install the package into a folder, list that in sandbox.read and start its program`,
		);
	}

	const planned = sandboxPlan({read, write, memoryBytes}, systemWorld({...places, profileHome}));
	if (planned.kind === 'problem') {
		const {list, path, problem} = planned.problem;
		return permanent(`sandbox.${list}: "${path}" ${problem}`);
	}

	const probe = await probeSandbox(places.environment);
	if (!probe.works) {
		return passing(`No sandbox works here: ${probe.reason}`);
	}

	const plan = {...planned.plan, env: {...planned.plan.env, ...env}, maxTasks};
	const found = findProgram(program, plan.env['PATH'] ?? '');
	const isSeen =
		found !== undefined && plan.mounts.some(one => isBind(one) && isInside(found, one.from));
	if (!isSeen) {
		return permanent(
			`Command "${program}" is not inside of its sandbox: write its whole path and list its folder in sandbox.read`,
		);
	}

	const setting = `mcp_servers.${name}.sandbox.hosts`;
	const {svcHome} = places;
	const way =
		hosts.length > 0 && (await openHosts({hosts, setting, svcHome, ...options}, {clock}, stack));
	try {
		const launch = probe.launch(withEgress(plan, way ? [way] : []), command);
		stack.defer(async () => removeScratch(launch));
		return {ok: true, launch};
	} catch (error) {
		return passing(`No sandbox can be built: ${messageOf(error)}`);
	}
}
