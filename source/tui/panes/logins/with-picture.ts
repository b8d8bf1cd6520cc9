import type {Safe} from '../../../core/untrusted.ts';
import {isUnderWay, type LoginEntry} from '../../../nouns/login/login-entry.ts';
import {blankLine, clipLine, fillLine, type Line} from '../../lines/line.ts';
import type {Host} from '../../shell/shell.ts';
import type {LoadSource, LocalState} from '../../state/source.ts';
import type {Tone} from '../../theme/theme.ts';
import type {QrCode} from './qr.ts';

/** A drawing in rows of equal width. */
export type Picture = {readonly width: number; readonly rows: readonly Safe[]; readonly tone: Tone};

/** The fewest cells for the text beside a picture. */
const leastCells = 40;

const gap = 2;

type PictureRoom = {
	readonly width: number;
	readonly height: number;
	readonly picture: Picture | undefined;
};

/**
 * Puts a picture to the right of a text, or below it. A picture that does not fit completely on a screen of `height` rows is left out. `text` lays out its rows
 * for a width, and is told if the picture is left out.
 */
export function withPicture(
	text: (width: number, isLeftOut: boolean) => readonly Line[],
	{width, height, picture}: PictureRoom,
): readonly Line[] {
	if (!picture) {
		return text(width, false);
	}

	// One row is taken by the title above.
	const room = height - 1;
	const textWidth = width - picture.width - gap;
	if (textWidth >= leastCells && picture.rows.length <= room) {
		return joined(text(textWidth, false), picture, textWidth + gap);
	}

	const rows = text(width, false);
	return picture.width + gap <= width && rows.length + picture.rows.length <= room
		? [...rows, ...joined([], picture, gap)]
		: text(width, true);
}

/** Joins both row by row; the picture begins at cell `from`. */
function joined(
	rows: readonly Line[],
	{rows: drawn, tone}: Picture,
	from: number,
): readonly Line[] {
	return Array.from({length: Math.max(rows.length, drawn.length)}, (_, index): Line => {
		const row = rows[index] ?? blankLine;
		const part = drawn[index];
		return part === undefined ? clipLine(row, from) : [...fillLine(row, from), {text: part, tone}];
	});
}

/** Whether the person wants QR codes. */
export const wantsQr: LocalState<boolean> = {initial: true};

/** QR codes by their text; the encoder is loaded on first use. */
export const qrCodes: LoadSource<QrCode> = {
	async load(_port, text) {
		const {qrCode} = await import('./qr.ts');
		return qrCode(text);
	},
};

/** The text of a login's QR code: the login page including the code; empty if there is none, or QR codes are off. */
export function qrText({local}: Host, entry: LoginEntry | undefined): string {
	const {attempt} = entry ?? {};
	if (!isUnderWay(attempt) || attempt.userCode === undefined || !local(wantsQr).get()) {
		return '';
	}

	const text = attempt.verificationUriComplete ?? '';
	return /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : '';
}

/** A login's QR code, once loaded. Without colours the light modules are drawn: most such screens are dark. */
export function qrPicture(host: Host, entry: LoginEntry): Picture | undefined {
	const text = qrText(host, entry);
	const loaded = host.loader(qrCodes).get();
	if (text === '' || loaded.key !== text || loaded.status !== 'ready') {
		return undefined;
	}

	const {width, rows, inverted} = loaded.value;
	return host.view.get().theme === 'mono'
		? {width, rows: inverted, tone: 'plain'}
		: {width, rows, tone: 'code'};
}
