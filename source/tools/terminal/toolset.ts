import type {BuiltInToolset} from '../toolset.ts';

/** Commands in a sandbox. @see manual/sandbox.md */
export const terminalToolset: BuiltInToolset = {
	name: 'terminal',
	offers: ({terminal: {approval, open}}) => [
		{name: 'terminal', asks: open !== undefined || approval === 'ask', readOnly: false},
	],
	tryAt: async (run, world) =>
		(await import('../sandbox/tools-sandbox.ts')).tryTools('terminal', run, world),
	open: async (run, world, stack) => [
		await (await import('./terminal.ts')).terminalTool(run, world, stack),
	],
};
