import {execFileSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {availableParallelism, cpus, loadavg, totalmem} from 'node:os';
import {dirname} from 'node:path';

/** One line of a table, cells by column. */
export type Line = Readonly<Record<string, string | number>>;

/** What a benchmark found. `lines` are for people, `data` for `--json`. */
export type Report = {
	readonly title: string;
	readonly lines: readonly Line[];
	/** How to read the figures, and what disturbs them. */
	readonly notes: readonly string[];
	readonly data: unknown;
};

const write = (text: string) => {
	process.stdout.write(`${text}\n`);
};

const isNumber = (text: string) => /^[<>≤≥-]?[\d.,]/.test(text);

/** Prints lines as a table: numbers to the right, everything else to the left. */
export function printTable(lines: readonly Line[]): void {
	const columns = [...new Set(lines.flatMap(line => Object.keys(line)))];
	const cells = lines.map(line => columns.map(column => String(line[column] ?? '')));
	const widths = columns.map((column, index) =>
		Math.max(column.length, ...cells.map(row => row[index]?.length ?? 0)),
	);
	const toRight = columns.map((_, index) =>
		cells.every(row => row[index] === '' || isNumber(row[index] ?? '')),
	);
	const print = (row: readonly string[]) => {
		const padded = row.map((cell, index) =>
			toRight[index] ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
		);
		write(padded.join('  ').trimEnd());
	};

	print(columns);
	print(widths.map(width => '-'.repeat(width)));
	for (const row of cells) {
		print(row);
	}
}

/** Where the figures come from; `load` is the load average of the last minute, at the time of the call. */
export const describeMachine = () => ({
	at: new Date().toISOString(),
	node: process.version,
	platform: `${process.platform} ${process.arch}`,
	cpu: cpus()[0]?.model.trim() ?? 'unknown',
	cores: availableParallelism(),
	memoryGb: Math.round(totalmem() / 1e9),
	load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
	commit: commit(),
});

function commit(): string {
	try {
		return execFileSync('git', ['describe', '--always', '--dirty'], {encoding: 'utf8'}).trim();
	} catch {
		return 'unknown';
	}
}

/** Prints a report and, with `json`, writes it to that file. */
export function printReport(
	{title, lines, notes, data}: Report,
	{
		before,
		json,
	}: {readonly before: ReturnType<typeof describeMachine>; readonly json: string | undefined},
): void {
	const {cpu, cores, memoryGb, node, load} = before;
	const loadAfter = describeMachine().load;
	write(`\n${title}`);
	write(
		`${cpu}, ${cores} cores, ${memoryGb} GB, Node ${node}, commit ${before.commit}, load average ${load} before, ${loadAfter} after\n`,
	);
	printTable(lines);
	write('');
	for (const note of notes) {
		write(`- ${note}`);
	}

	if (json !== undefined) {
		mkdirSync(dirname(json), {recursive: true});
		const content = {title, machine: {...before, loadAfter}, notes, lines, data};
		writeFileSync(json, `${JSON.stringify(content, undefined, '\t')}\n`);
		write(`\nWrote ${json}`);
	}
}

/** Says what is going on, without disturbing the table. */
export const progress = (text: string) => {
	process.stderr.write(`${text}\n`);
};
