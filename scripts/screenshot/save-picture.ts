import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {svgOf, type Screen} from './svg.ts';

const pictures = join(dirname(fileURLToPath(import.meta.url)), 'pictures');

/** Keeps a screen as `NAME.svg` beside this program, and as `NAME.png` in the folder `png` if there is one. */
export async function savePicture(
	screen: Screen,
	{name, title, png}: {readonly name: string; readonly title: string; readonly png?: string},
): Promise<void> {
	const svg = svgOf(screen, title);
	const path = join(pictures, `${name}.svg`);
	mkdirSync(pictures, {recursive: true});
	writeFileSync(path, svg);
	process.stdout.write(`${path}  ${Math.round(svg.length / 1000)} kB\n`);
	if (png !== undefined) {
		await savePng(svg, join(png, `${name}.png`));
	}
}

async function savePng(svg: string, path: string): Promise<void> {
	const {Resvg} = await import('@resvg/resvg-js');
	const picture = new Resvg(svg, {
		fitTo: {mode: 'zoom', value: 1.5},
		font: {loadSystemFonts: true, monospaceFamily: 'DejaVu Sans Mono'},
	});
	mkdirSync(dirname(path), {recursive: true});
	writeFileSync(path, picture.render().asPng());
}
