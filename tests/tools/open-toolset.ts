import {mkdirSync} from 'node:fs';
import type {TestContext} from 'vitest';
import {
	toolsetsWithout,
	sandboxSettings,
	type ToolsetsConfig,
	toolsetSettings,
} from '../../source/config/toolset-settings.ts';
import {systemClock} from '../../source/core/clock.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {createLogger} from '../../source/core/log.ts';
import type {ToolContext} from '../../source/core/tool.ts';
import {probeSandbox} from '../../source/tools/sandbox/probe-sandbox.ts';
import type {ToolsRun, ToolsWorld} from '../../source/tools/toolset.ts';
import {openBuiltIn} from '../../source/tools/toolsets.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

const probe = await probeSandbox(process.env);

export type Opening = {
	readonly terminal?: Parameters<typeof toolsetSettings.terminal.read>[0];
	readonly file?: Parameters<typeof toolsetSettings.file.read>[0];
	readonly sandbox?: Parameters<typeof sandboxSettings.read>[0];
	readonly broken?: string;
	readonly isUnsigned?: boolean;
	readonly path?: string;
	readonly forge?: ToolsRun['forge'];
	readonly askCodeHost?: ToolsWorld['askCodeHost'];
	/** Puts what is needed into the home. */
	readonly lay?: (home: string) => void;
	readonly checkout?: ToolsRun['checkout'];
};

/** A toolset of a run, or several, in a home with `svc` and `person`. With `context` the test is left out where no sandbox works. */
export async function openToolset(
	name: 'terminal' | 'file' | ReadonlyArray<'terminal' | 'file'>,
	{
		terminal = {},
		file = {},
		sandbox = {},
		broken,
		isUnsigned = false,
		forge = {cli: 'gh', host: 'github.com', token: async () => ''},
		askCodeHost,
		checkout,
		path = process.env['PATH'] ?? '',
		lay,
	}: Opening,
	context?: Pick<TestContext, 'skip'>,
) {
	if (context && !probe.works) {
		context.skip(`no sandbox works here: ${probe.reason}`);
	}

	const names = [name].flat();
	const home = await temporaryHome({'.env': 'TOKEN=canary-4711\n'});
	let settings: ToolsetsConfig = {
		...toolsetsWithout('not in this test'),
		terminal: toolsetSettings.terminal.read(terminal),
		file: toolsetSettings.file.read(file),
	};
	const notes: string[] = [];
	const stack = new AsyncDisposableStack();
	stack.use(home);
	const userHome = home.file('person');
	mkdirSync(userHome);
	lay?.(home.path);
	const toolsets = await openBuiltIn(
		names,
		{
			id: 1,
			signal: new AbortController().signal,
			profile: {
				name: 'default',
				home: home.file('svc'),
				svcHome: home.file('svc'),
				userHome,
				environment: {...process.env, PATH: path},
			},
			isUnsigned,
			forge,
			...(checkout && {checkout}),
			note(text) {
				notes.push(text);
			},
		},
		{
			clock: systemClock,
			...(askCodeHost && {askCodeHost}),
			redact: text => text,
			log: createLogger({clock: systemClock, redact: text => text, write() {}}),
			settings: () => settings,
			sandbox: () => ({
				...sandboxSettings.read(sandbox),
				...(broken !== undefined && {broken}),
			}),
		},
		stack,
	);
	const ours = toolsets.filter(one => names.some(wanted => wanted === one.name));
	const toolOf = (of: string) => ours.flatMap(({tools}) => tools).find(tool => tool.name === of);
	return {
		home,
		notes,
		toolOf,
		/** Settings that change while the run is under way. */
		change(changed: Pick<Opening, 'terminal' | 'file'>) {
			settings = {
				...settings,
				...(changed.terminal && {terminal: toolsetSettings.terminal.read(changed.terminal)}),
				...(changed.file && {file: toolsetSettings.file.read(changed.file)}),
			};
		},
		dropped: ours[0]?.dropped,
		async call(
			of: string,
			args: JsonObject,
			given: ToolContext = {signal: new AbortController().signal},
		) {
			const result = await toolOf(of)?.execute(args, given);
			return {text: '', ...result};
		},
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}
