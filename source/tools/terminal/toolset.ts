import type {BuiltInToolset} from '../toolset.ts';

/** Commands in a sandbox. @see manual/sandbox.md */
export const terminalToolset: BuiltInToolset = {
	name: 'terminal',
	offers: ({terminal}) => [{name: 'terminal', asks: terminal.approval === 'ask', readOnly: false}],
	whyDropped: async (run, world) =>
		(await import('../sandbox/tools-sandbox.ts')).whyNoTools('terminal', run, world),
	open: async (run, world, stack) => [
		await (await import('./terminal.ts')).terminalTool(run, world, stack),
	],
};
