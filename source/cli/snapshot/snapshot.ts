import {stripVTControlCharacters} from 'node:util';
import {wantColors} from '../../config/environment.ts';
import {writePrivateFile} from '../../config/text-files.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {didYouMean} from '../../core/names.ts';
import {versionMismatch} from '../../core/program.ts';
import {contract} from '../../gateway/contract/contract.ts';
import type {Operation} from '../../gateway/contract/operation.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import {changesSomething} from '../../gateway/read-only-port.ts';
import type {ThemeName} from '../../tui/theme/theme.ts';
import type {Context} from '../console/context.ts';
import {tellEach} from '../console/print.ts';
import {attachGateway, notRunning} from '../home/gateway-access.ts';

/** What to draw. */
export type SnapshotRequest = {
	/** The pane's name or key. */
	readonly pane: string;
	readonly cols: number;
	readonly rows: number;
	readonly theme: ThemeName;
	/** Names of keys. */
	readonly keys: readonly string[];
	readonly filter?: string;
	/** Text with its colours (SGR). */
	readonly isColored: boolean;
	/** A file to overwrite; absent: stdout. */
	readonly out?: string;
};

/** Refuses the command's arguments. */
type Refuse = (problem: string) => never;

/**
 * Draws a pane of the gateway running for the context's home as text. `open` attaches to the gateway; it is closed again.
 *
 * @throws SvcError `gateway_not_running`, `snapshot_timeout`, `filter_invalid`, `file_unwritable`
 */
export async function snapshot(
	context: Context,
	request: SnapshotRequest,
	{
		refuse,
		open = attachGateway,
	}: {
		readonly refuse: Refuse;
		readonly open?: (context: Context) => Promise<GatewayPort | undefined>;
	},
): Promise<void> {
	wantColors();
	const {paneNames, takeSnapshot} = await import('../../tui/snapshot/take-snapshot.ts');
	const {bytesOfKey} = await import('../../terminal/input/key-event.ts');
	const pane = paneOf(request.pane, paneNames, refuse);
	for (const key of request.keys) {
		try {
			bytesOfKey(key);
		} catch {
			refuse(
				`error: there is no key "${key}": write a letter or a sign, or enter, esc, tab, space, up, pgdn, ctrl+k and the like`,
			);
		}
	}

	await using port = (await open(context)) ?? (await notRunning(context));
	const {cols: columns, rows, theme, keys, filter, isColored, out} = request;
	const {clock} = context;
	// Avoids a dialog about different versions, which would cover the pane.
	const version = port.getState().gateway.version || context.version;
	tellEach(context, versionMismatch({gateway: version, face: context.version}) ?? []);

	const frame = await takeSnapshot(
		{clock, ...lookOnly(port)},
		{pane, size: {columns, rows}, theme, keys, version, ...(filter !== undefined && {filter})},
	);
	await give(context, isColored ? `${frame}\n` : textOf(frame), out);
}

type PaneName = {readonly id: string; readonly key: string};

function paneOf(asked: string, names: readonly PaneName[], refuse: Refuse): string {
	const wanted = asked.trim().toLowerCase();
	const found = names.find(({id, key}) => id === wanted || (key !== '' && key === wanted));
	if (found !== undefined) {
		return found.id;
	}

	const meant = didYouMean(
		wanted,
		names.map(({id}) => id),
	);
	return refuse(
		`error: there is no pane "${asked}"${meant}: ${names.map(({id, key}) => `${key} ${id}`).join(', ')}`,
	);
}

/** A frame without colours and trailing blanks. */
const textOf = (frame: string): string =>
	stripVTControlCharacters(frame)
		.split('\n')
		.map(row => `${row.trimEnd()}\n`)
		.join('');

async function give({stdout}: Context, text: string, out: string | undefined): Promise<void> {
	if (out === undefined) {
		stdout.write(text);
		return;
	}

	try {
		await writePrivateFile(out, text);
	} catch (error) {
		throw new SvcError('file_unwritable', `Cannot write "${out}": ${messageOf(error)}`, {
			cause: error,
		});
	}
}

const refuseChange = (name: string) => async () => {
	throw new SvcError('snapshot_only_looks', `Cannot do "${name}" in a snapshot: it only looks`);
};

/** A port that only passes reading commands on, whatever keys are pressed, and refuses others with `snapshot_only_looks`; `isAnswering` says whether an answer is pending. */
function lookOnly(port: GatewayPort): {
	readonly port: GatewayPort;
	readonly isAnswering: () => boolean;
} {
	let open = 0;
	const ask =
		(name: keyof typeof contract) =>
		async (...args: readonly unknown[]): Promise<unknown> => {
			open += 1;
			try {
				// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller's own arguments, for the command that it named
				return await (port[name] as (...all: readonly unknown[]) => Promise<unknown>)(...args);
			} finally {
				open -= 1;
			}
		};

	const commands = Object.entries<Operation>(contract).map(([name, operation]) => [
		name,
		changesSomething(operation)
			? refuseChange(name)
			: // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a key of the table
				ask(name as keyof typeof contract),
	]);
	return {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each command of the table, with the arguments and answers of the one behind it
		port: {...port, ...Object.fromEntries(commands)} as GatewayPort,
		isAnswering: () => open > 0,
	};
}
