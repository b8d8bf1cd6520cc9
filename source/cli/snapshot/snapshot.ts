import {wantColors} from '../../config/environment.ts';
import {writePrivateFile} from '../../config/write-private-file.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {nearestName} from '../../core/nearest-name.ts';
import {twoVersions} from '../../core/two-versions.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {attachGateway, noGateway} from '../home/gateway-access.ts';
import type {SnapshotRequest} from './formats.ts';
import {lookOnly} from './look-only.ts';

/** How a command refuses the words that it was given. */
type Refuse = (problem: string) => never;

/**
 * One pane of the gateway that runs for the context's home, as text or as a picture. `open` says which gateway; it is closed again.
 *
 * @throws SvcError `gateway_not_running`, `snapshot_timeout`, `filter_invalid`, `picture_unavailable`, `file_unwritable`
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
	if (request.format === 'png' && request.out === undefined && context.stdout.isTTY) {
		refuse(
			'error: a PNG is nothing for a terminal: give --out FILE, or send it elsewhere with ">"',
		);
	}

	wantColors();
	const [{paneNames, takeSnapshot}, {bytesOfKey}] = await Promise.all([
		import('../../tui/snapshot/take-snapshot.ts'),
		import('../../terminal/input/key-bytes.ts'),
	]);
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

	await using port = await open(context);
	if (!port) {
		throw new SvcError(
			'gateway_not_running',
			await noGateway(context, ': start it with "svc", "svc gateway" or "svc gateway run"'),
		);
	}

	const {cols: columns, rows, theme, keys, filter, format, out} = request;
	const size = {columns, rows};
	const {clock} = context;
	// A question about two versions would lie over the pane.
	const version = port.getState().gateway.version || context.version;
	for (const note of twoVersions({gateway: version, face: context.version}) ?? []) {
		tell(context, note);
	}

	const frame = await takeSnapshot(
		{clock, ...lookOnly(port)},
		{pane, size, theme, keys, version, ...(filter !== undefined && {filter})},
	);
	await give(context, await pictureOf(frame, {size, theme, format, pane}), out);
}

type PaneName = {readonly id: string; readonly key: string};

function paneOf(asked: string, names: readonly PaneName[], refuse: Refuse): string {
	const wanted = asked.trim().toLowerCase();
	const found = names.find(({id, key}) => id === wanted || (key !== '' && key === wanted));
	if (found !== undefined) {
		return found.id;
	}

	const near = nearestName(
		wanted,
		names.map(({id}) => id),
	);
	return refuse(
		`error: there is no pane "${asked}"${near ? `, did you mean "${near}"` : ''}: ${names.map(({id, key}) => `${key} ${id}`).join(', ')}`,
	);
}

type Picture = {
	readonly size: {readonly columns: number; readonly rows: number};
	readonly pane: string;
} & Pick<SnapshotRequest, 'theme' | 'format'>;

async function pictureOf(
	frame: string,
	{size, theme, format, pane}: Picture,
): Promise<string | Buffer> {
	if (format === 'color') {
		return `${frame}\n`;
	}

	const {cellsOf} = await import('../../terminal/picture/cells.ts');
	const cells = cellsOf(frame, size);
	if (format === 'text') {
		return cells
			.map(
				row =>
					`${row
						.map(({text}) => text)
						.join('')
						.trimEnd()}\n`,
			)
			.join('');
	}

	const {svgOf} = await import('../../terminal/picture/svg.ts');
	const svg = svgOf(cells, `svc: ${pane}`, {isLight: theme === 'light'});
	if (format === 'svg') {
		return svg;
	}

	const {pngOf} = await import('../../terminal/picture/png.ts');
	return pngOf(svg);
}

async function give(
	{stdout}: Context,
	picture: string | Buffer,
	out: string | undefined,
): Promise<void> {
	if (out === undefined) {
		stdout.write(picture);
		return;
	}

	try {
		await writePrivateFile(out, picture);
	} catch (error) {
		throw new SvcError('file_unwritable', `Cannot write "${out}": ${messageOf(error)}`, {
			cause: error,
		});
	}
}
