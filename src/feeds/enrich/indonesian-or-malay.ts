/** Words that one of the two has and the other says or writes in another way, chosen for this project. */
const INDONESIAN = wordsOf(`
  bahwa karena bisa nggak enggak gak ngga banget udah aja dong sih kok gue gua kalian kemarin besok lainnya apapun siapapun
  manapun adanya sebagainya butuh kebutuhan sehat kesehatan liburan pengangguran serikat perserikatan menurut setelah
  pengadilan terdakwa kantor uang mobil polisi kepolisian telepon bis karyawan pria senin kamis jumat maret juni juli agustus
  desember listrik gratis sepeda kabupaten provinsi propinsi bupati gubernur mahasiswa internasional nasional rupiah miliar
  triliun pemilu memperoleh teman cewek cowok mantap keren jelek capek bilang ngomong nonton pelayanan pengiriman toko
  rusak kewarganegaraan perkawinan warganegara maupun agar saat sedang terhadap harus memiliki berbagai upaya
  tanggung hukum kejahatan kelamin pribadi rahasia beda berbeda gedung`);
const MALAY = wordsOf(`
  bahawa kerana boleh sahaja ialah hendaklah mestilah awak korang diorang nak kat apabila manakala semasa sekiranya kerajaan
  kebangsaan antarabangsa syarikat pejabat wang kereta polis hospital telefon bas lelaki kanak ringgit isnin khamis jumaat ahad
  mac jun julai ogos disember percuma basikal bandar negeri setiausaha cuti cakap perlembagaan mahkamah menerusi samada tiada
  selepas iaitu kesihatan mesyuarat maklumat perkhidmatan sukan peratus bilion pertubuhan persekutuan pegawai pengerusi
  pelbagai sebarang tempoh berikutan kedai rosak perkahwinan sesiapa mengikut pengisytiharan sejagat kesemua
  jenayah mesti peribadi rahsia tanggungjawab berbeza`);
const WORDS = /\p{L}+/gu;
/** "kualitas" and "kualiti": long words only, because short ones end so by chance. */
const FEWEST_LETTERS = 7;

/** Which of the two languages a text is in, or null if no word of it decides: the detector has one for both. */
export function indonesianOrMalay(text: string): "id" | "ms" | null {
  let indonesian = 0;
  let malay = 0;
  for (const [word] of text.toLowerCase().matchAll(WORDS)) {
    const isLong = word.length >= FEWEST_LETTERS;
    if (INDONESIAN.has(word) || (isLong && word.endsWith("itas"))) indonesian++;
    else if (MALAY.has(word) || (isLong && word.endsWith("iti"))) malay++;
  }
  if (indonesian === malay) return null;
  return indonesian > malay ? "id" : "ms";
}

function wordsOf(lines: string): ReadonlySet<string> {
  return new Set(lines.trim().split(/\s+/));
}
