import { familyOf } from '../../../src/dashboard/domain/model-family.ts';
import { familyColour, groupColours } from '../charts/colours.ts';
import type { Palette } from '../table/cells.ts';

/** The charts' colours as CSS values, for the other parts of the page. */
export function pagePalette(projects: () => readonly string[]): Palette {
  let known = '';
  let colours = groupColours([]);
  return {
    model: (name) => `var(${familyColour(familyOf(name))})`,
    project(name) {
      const names = projects();
      const key = names.join('\n');
      if (key !== known) {
        known = key;
        colours = groupColours(names);
      }
      return `var(${colours.get(name) ?? '--chart-muted'})`;
    },
  };
}
