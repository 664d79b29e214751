/** A text of the server with its moments, such as `2030-01-02 09:00 UTC`, printed otherwise. */
export const printMoments = (text: string, print: (at: number) => string): string =>
  text.replace(/\b(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC\b/g, (whole, day: string, time: string) => {
    const at = Date.parse(`${day}T${time}Z`);
    return Number.isNaN(at) ? whole : print(at);
  });
