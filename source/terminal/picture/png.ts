import {existsSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {messageOf, SvcError} from '../../core/errors.ts';

/** Points of the picture for each of the drawing: text stays sharp on most screens. */
const zoom = 1.5;

/** Beside the bundle, or where the bundle has them from. */
const fontFolders = ['fonts/', '../../../node_modules/dejavu-fonts-ttf/ttf/'];

const fontFiles = ['DejaVuSansMono.ttf', 'DejaVuSansMono-Bold.ttf'];

/**
 * A drawing of `svgOf` as PNG. The letters are those of a font that comes along, whatever the machine has; for what that lacks (Chinese, emoji), the fonts of the machine are asked.
 *
 * @throws SvcError `picture_unavailable` when the package that draws is not installed
 */
export async function pngOf(svg: string): Promise<Buffer> {
	const {Resvg} = await loadResvg();
	const picture = new Resvg(svg, {
		fitTo: {mode: 'zoom', value: zoom},
		font: {
			fontFiles: [...ownFonts()],
			loadSystemFonts: true,
			defaultFontFamily: 'DejaVu Sans Mono',
			monospaceFamily: 'DejaVu Sans Mono',
		},
	});
	return picture.render().asPng();
}

async function loadResvg() {
	try {
		return await import('@resvg/resvg-js');
	} catch (error) {
		throw new SvcError(
			'picture_unavailable',
			`Cannot draw a PNG: the package "@resvg/resvg-js" cannot be loaded (${messageOf(error).split('\n')[0]}): install it beside svc, or use --svg`,
			{cause: error},
		);
	}
}

const ownFonts = (): readonly string[] =>
	fontFiles.flatMap(
		name =>
			fontFolders
				.map(folder => fileURLToPath(new URL(folder + name, import.meta.url)))
				.find(path => existsSync(path)) ?? [],
	);
