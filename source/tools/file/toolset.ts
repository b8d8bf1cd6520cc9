import type {BuiltInToolset} from '../toolset.ts';

/** Files that are read, searched and changed in a sandbox. @see manual/file.md */
export const fileToolset: BuiltInToolset = {
	name: 'file',
	offers({file: {approval, open: why}}) {
		const isOpen = why !== undefined;
		const asks = isOpen || approval === 'ask';
		return [
			{name: 'read_file', asks: isOpen, readOnly: true},
			{name: 'search_files', asks: isOpen, readOnly: true},
			{name: 'write_file', asks, readOnly: false},
			{name: 'edit_file', asks, readOnly: false},
		];
	},
	tryAt: async (run, world) =>
		(await import('../sandbox/tools-sandbox.ts')).tryTools('file', run, world),
	open: async (run, world, stack) => (await import('./file-tools.ts')).fileTools(run, world, stack),
};
