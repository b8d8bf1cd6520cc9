import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Resvg} from '@resvg/resvg-js';
import type {Screen} from './cells.ts';
import type {Frame} from './moving-svg.ts';
import {svgOf} from './svg.ts';

const pictures = join(dirname(fileURLToPath(import.meta.url)), 'pictures');

type Picture = {readonly name: string; readonly title: string; readonly png?: string};

/** Keeps a screen as `NAME.svg` beside this program, and as `NAME.png` in the folder `png` if there is one. */
export function savePicture(screen: Screen, {name, title, png}: Picture): void {
	const svg = svgOf(screen, title);
	save(name, svg);
	if (png !== undefined) {
		savePng(svg, join(png, `${name}.png`));
	}
}

/** Keeps a picture that moves as `NAME.svg`, and each of its frames as `NAME-NN.png`. */
export function saveMoving(
	svg: string,
	frames: readonly Frame[],
	{name, title, png}: Picture,
): void {
	save(name, svg);
	for (const [number, {screen}] of png === undefined ? [] : frames.entries()) {
		const file = `${name}-${String(number).padStart(2, '0')}.png`;
		savePng(svgOf(screen, title), join(png ?? '', file));
	}
}

function save(name: string, svg: string): void {
	const path = join(pictures, `${name}.svg`);
	mkdirSync(pictures, {recursive: true});
	writeFileSync(path, svg);
	process.stdout.write(`${path}  ${Math.round(svg.length / 1000)} kB\n`);
}

/** Points of the picture for each of the drawing: text stays sharp on most screens. */
const zoom = 1.5;

const fonts = fileURLToPath(new URL('../../node_modules/dejavu-fonts-ttf/ttf/', import.meta.url));

/** The letters are those of DejaVu, whatever the machine has; for what that lacks (Chinese, emoji), the fonts of the machine are asked. */
function savePng(svg: string, path: string): void {
	const picture = new Resvg(svg, {
		fitTo: {mode: 'zoom', value: zoom},
		font: {
			fontFiles: ['DejaVuSansMono.ttf', 'DejaVuSansMono-Bold.ttf'].map(name => join(fonts, name)),
			loadSystemFonts: true,
			defaultFontFamily: 'DejaVu Sans Mono',
			monospaceFamily: 'DejaVu Sans Mono',
		},
	});
	mkdirSync(dirname(path), {recursive: true});
	writeFileSync(path, picture.render().asPng());
}
