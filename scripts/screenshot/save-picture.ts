import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {Screen} from '../../source/terminal/picture/cells.ts';
import {pngOf} from '../../source/terminal/picture/png.ts';
import {svgOf} from '../../source/terminal/picture/svg.ts';
import type {Frame} from './moving-svg.ts';

const pictures = join(dirname(fileURLToPath(import.meta.url)), 'pictures');

type Picture = {readonly name: string; readonly title: string; readonly png?: string};

/** Keeps a screen as `NAME.svg` beside this program, and as `NAME.png` in the folder `png` if there is one. */
export async function savePicture(screen: Screen, {name, title, png}: Picture): Promise<void> {
	const svg = svgOf(screen, title);
	save(name, svg);
	if (png !== undefined) {
		await savePng(svg, join(png, `${name}.png`));
	}
}

/** Keeps a picture that moves as `NAME.svg`, and each of its frames as `NAME-NN.png`. */
export async function saveMoving(
	svg: string,
	frames: readonly Frame[],
	{name, title, png}: Picture,
): Promise<void> {
	save(name, svg);
	for (const [number, {screen}] of png === undefined ? [] : frames.entries()) {
		const file = `${name}-${String(number).padStart(2, '0')}.png`;
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await savePng(svgOf(screen, title), join(png ?? '', file));
	}
}

function save(name: string, svg: string): void {
	const path = join(pictures, `${name}.svg`);
	mkdirSync(pictures, {recursive: true});
	writeFileSync(path, svg);
	process.stdout.write(`${path}  ${Math.round(svg.length / 1000)} kB\n`);
}

async function savePng(svg: string, path: string): Promise<void> {
	mkdirSync(dirname(path), {recursive: true});
	writeFileSync(path, await pngOf(svg));
}
