export const snapshotThemes = ['dark', 'light', 'ansi16', 'mono'] as const;

/** What is to be drawn. */
export type SnapshotRequest = {
	/** Its name or its key. */
	readonly pane: string;
	readonly cols: number;
	readonly rows: number;
	readonly theme: (typeof snapshotThemes)[number];
	/** Names of keys. */
	readonly keys: readonly string[];
	readonly filter?: string;
	readonly format: 'text' | 'color' | 'svg' | 'png';
	/** A file that is written anew; absent: stdout. */
	readonly out?: string;
};
