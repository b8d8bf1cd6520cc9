import {expect, test} from 'vitest';
import {themes, usualTheme, type Look, type Tone} from '../../../source/tui/theme/theme.ts';

/** The backgrounds that terminals come with. */
const backgrounds = {
	dark: [
		[0, 0, 0],
		[0x1e, 0x1e, 0x1e],
	],
	light: [
		[0xff, 0xff, 0xff],
		[0xfd, 0xf6, 0xe3],
	],
} as const;

type Rgb = readonly [number, number, number];

/** What number `index` of the 256 colours looks like: a cube of six steps, then grays. */
function rgbOf(index: number): Rgb {
	if (index >= 232) {
		const gray = 8 + (index - 232) * 10;
		return [gray, gray, gray];
	}

	const step = (value: number) => (value === 0 ? 0 : 55 + value * 40);
	const cube = index - 16;
	return [step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6)];
}

/** Relative luminance, by WCAG 2.2. */
function luminanceOf(color: Rgb): number {
	const [red = 0, green = 0, blue = 0] = color.map(value => {
		const share = value / 255;
		return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Rgb, other: Rgb): number {
	const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].toSorted(
		(a, b) => a - b,
	);
	return (lighter + 0.05) / (darker + 0.05);
}

const tonesOf = (name: 'dark' | 'light') =>
	(Object.entries(themes[name]) as Array<[Tone, Look]>).filter(([tone]) => tone !== 'code');

test.for(['dark', 'light'] as const)(
	'every tone of the theme %s has a contrast of 4.5:1 with what such terminals have behind it',
	name => {
		const faint = tonesOf(name).flatMap(([tone, {color}]) => {
			if (color === undefined) {
				return [];
			}

			const [, index = ''] = /^ansi256\((\d+)\)$/.exec(color) ?? [];
			expect(
				Number(index),
				`${tone} of ${name}: what ${color} looks like is not known`,
			).toBeGreaterThan(15);
			return backgrounds[name]
				.map(background => contrast(rgbOf(Number(index)), background))
				.filter(ratio => ratio < 4.5)
				.map(ratio => `${tone} ${color} ${ratio.toFixed(2)}`);
		});

		expect(faint).toEqual([]);
	},
);

test('no theme has a text that is dimmed', () => {
	const looks = Object.values(themes).flatMap(theme => Object.values(theme));

	expect(looks.filter(({dimColor}) => dimColor)).toEqual([]);
	expect(Object.values(themes.ansi16).map(({color}) => color)).not.toContain('gray');
});

test.for([
	['0;15', 'light'],
	['0;default;15', 'light'],
	['0;7', 'light'],
	['15;0', 'dark'],
	['7;0', 'dark'],
	['nonsense', 'dark'],
	[undefined, 'dark'],
] as const)('a terminal whose COLORFGBG is %s begins %s', ([colors, name]) => {
	expect(usualTheme(colors)).toBe(name);
});
