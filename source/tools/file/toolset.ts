import type {BuiltInToolset} from '../toolset.ts';

/** Files that are read, searched and changed in a sandbox. @see manual/file.md */
export const fileToolset: BuiltInToolset = {
	name: 'file',
	offers: ({file}) => [
		{name: 'read_file', asks: false, readOnly: true},
		{name: 'search_files', asks: false, readOnly: true},
		{name: 'write_file', asks: file.approval === 'ask', readOnly: false},
		{name: 'edit_file', asks: file.approval === 'ask', readOnly: false},
	],
	whyDropped: async (run, world) =>
		(await import('../sandbox/tools-sandbox.ts')).whyNoTools('file', run, world),
	open: async (run, world, stack) => (await import('./file-tools.ts')).fileTools(run, world, stack),
};
